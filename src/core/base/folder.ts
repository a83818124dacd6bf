/**
 * Returns the prefix that all paths in a folder have in common. `path` may or may not end with a slash; the empty path is the top level.
 */
export const folderPrefix = (path: string): string => (path === '' || path.endsWith('/') ? path : `${path}/`)
