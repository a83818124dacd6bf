/**
 * How `list` names what lies below a prefix.
 */

/** Everything behind the first `delimiter` folded away; without one the name itself. */
export function foldName(rest: string, delimiter: string | undefined): string {
  const at = delimiter ? rest.indexOf(delimiter) : -1
  return at < 0 ? rest : rest.slice(0, at + delimiter!.length)
}
