/**
 * The names in which `list` shows keys below a prefix.
 */

/** The name with everything after the first `delimiter` folded away; without a delimiter the name itself. */
export function foldName(rest: string, delimiter: string | undefined): string {
  const at = delimiter ? rest.indexOf(delimiter) : -1
  return at < 0 ? rest : rest.slice(0, at + delimiter!.length)
}
