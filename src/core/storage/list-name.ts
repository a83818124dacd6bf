/**
 * The name that `list` returns for the key part `rest`: everything after the first `delimiter` is cut off. Without a delimiter, `rest`
 * itself.
 */
export function listName(rest: string, delimiter: string | undefined): string {
  const at = delimiter ? rest.indexOf(delimiter) : -1
  return at < 0 ? rest : rest.slice(0, at + delimiter!.length)
}
