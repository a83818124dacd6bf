/** Converts a name to snake case. An acronym counts as one word: `TLSMinVersion` becomes `tls_min_version`. */
export const snakeCase = (name: string): string =>
  name
    .replace(/([a-z])(?=[A-Z\d])/g, '$1_')
    .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1_')
    .toLowerCase()
