/** Returns the common prefix of all names in a folder. The path may or may not end with a slash; the empty path is the top level. */
export const folderPrefix = (path: string): string => (path === '' || path.endsWith('/') ? path : `${path}/`)
