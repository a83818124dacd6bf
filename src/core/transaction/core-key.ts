/**
 * Where the kernel's own records lie.
 */

export const keyOf = (kind: { readonly class: string; readonly folder: string }, id: string): string =>
  `${kind.class}/${CORE}/${kind.folder}/${id}`

/** The kernel's own part of the store. */
export const CORE = 'core'
