/** What a part of the index measures, without the name, scale and weight that stand beside it. */
export function meaning(head: string, about: string): string {
  const own = about.startsWith(`${head}: `) ? about.slice(head.length + 2) : about;
  return own.split(";")[0] ?? own;
}
