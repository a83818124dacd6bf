/**
 * Which namespaces may use credentials that belong to the process, such as those of its environment or of its host. A caller who may
 * configure an engine or a destination in such a namespace acts with the rights of the process.
 */

/** Paths of namespaces, with or without a slash at the end; the empty text is the root namespace, `*` is every one. Default: the root alone. */
export type AmbientNamespaces = readonly string[]

const trimmed = (path: string): string => path.replace(/^\/+|\/+$/g, '')

/** Namespaces below one that is listed are not included. */
export const isAmbientAllowed = (path: string, namespaces: AmbientNamespaces = ['']): boolean =>
  namespaces.some((each) => each === '*' || trimmed(each) === trimmed(path))

/** @throws TypeError for what is no list of texts: an option that is misspelled opens nothing. */
export function assertAmbientNamespaces(option: string, namespaces: unknown): void {
  if (namespaces === undefined) return
  if (!Array.isArray(namespaces) || !namespaces.every((each) => typeof each === 'string'))
    throw new TypeError(`${option}: must be a list of paths of namespaces`)
}
