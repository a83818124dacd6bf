/**
 * The name that `list` returns for a key; `rest` is the key without the listed prefix. Everything after the first `delimiter` is cut off.
 * Without a delimiter, the name is `rest`.
 */
export function listName(rest: string, delimiter: string | undefined): string {
  const at = delimiter ? rest.indexOf(delimiter) : -1
  return at < 0 ? rest : rest.slice(0, at + delimiter!.length)
}
