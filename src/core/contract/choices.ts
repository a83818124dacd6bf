/** Types for arguments of which at least, at most or exactly one must be given. */

/** At least one of the members. */
export type AnyOf<T, K extends keyof T> = { [P in K]: { readonly [Q in P]-?: NonNullable<T[Q]> } }[K]

/** Not more than one of the members. */
export type AtMostOne<T, K extends keyof T> = { [P in K]: { readonly [Q in Exclude<K, P>]?: undefined } }[K]

/** Exactly one of the members. */
export type OneOf<T, K extends keyof T> = AnyOf<T, K> & AtMostOne<T, K>
