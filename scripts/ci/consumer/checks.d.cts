import type * as Holdfast from 'holdfast';

export declare function check(holdfast: typeof Holdfast): Promise<void>;
