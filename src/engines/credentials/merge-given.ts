/** Returns the stored members, with the values that a request contains instead of the stored ones. */
export const mergeGiven = <R extends object>(stored: R, given: { readonly [K in keyof R]?: R[K] | undefined }): R =>
  Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, given[name as keyof R] ?? value])) as R
