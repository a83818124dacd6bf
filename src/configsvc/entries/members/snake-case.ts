/** The snake case of a name. Acronyms count as one word: `TLSMinVersion` is `tls_min_version`. */
export const snakeCase = (name: string): string =>
  name
    .replace(/([a-z])(?=[A-Z\d])/g, '$1_')
    .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1_')
    .toLowerCase()
