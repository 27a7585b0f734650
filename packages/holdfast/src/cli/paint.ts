import { styleText } from 'node:util';

/** Gives a text its style, or leaves it as it is. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

export const inColor: Paint = (style, text) => styleText(style, text);

export const plain: Paint = (_, text) => text;
