/**
 * Names of different locks that nearly collide: one text with and without braces, and with what keys and channels are made of around it. All
 * of them are good names, also in a Cluster; `text` is in each.
 */
export function nearNames(text: string): string[] {
  return [
    text,
    `{${text}}`,
    `{{${text}}`,
    `{${text}}}`,
    `{${text}}{${text}}`,
    `:${text}`,
    `${text}:`,
    `{${text}}:`,
    `:{${text}}`,
    `{${text}}:a:1`,
    `${text}:a:1`,
    `{${text}}:queue`,
    `queue:{${text}}`,
    `queue:${text}`,
    `holdfast:queue:{${text}}`,
    `my_holdfast_queue:${text}`,
    `app:${text}`,
    `{app:${text}}`,
    `app:{${text}}`,
  ];
}
