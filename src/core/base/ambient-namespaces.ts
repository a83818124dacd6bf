/**
 * The namespaces that may use credentials of the process, such as credentials in its environment or those of its host. A caller who can
 * configure an engine or a destination in such a namespace acts with the rights of the process.
 */
import { withoutOuterSlashes } from './slashes.ts'

/**
 * Paths of namespaces, with or without a trailing slash. The empty string is the root namespace, and `*` matches all. Default: only the
 * root namespace.
 */
export type AmbientNamespaces = readonly string[]

/** Whether the list contains the namespace. A listed namespace does not include its children. */
export const isAmbientAllowed = (path: string, namespaces: AmbientNamespaces = ['']): boolean =>
  namespaces.some((each) => each === '*' || withoutOuterSlashes(each) === withoutOuterSlashes(path))

/** @throws TypeError if the value is neither a list of strings nor undefined. So an invalid option grants nothing. */
export function assertAmbientNamespaces(option: string, namespaces: unknown): void {
  if (namespaces === undefined) return
  if (!Array.isArray(namespaces) || !namespaces.every((each) => typeof each === 'string'))
    throw new TypeError(`${option}: must be a list of namespace paths`)
}
