/** The common prefix of all names in a folder. The path may end with a slash or not; the empty path is the top level. */
export const folderPrefix = (path: string): string => (path === '' || path.endsWith('/') ? path : `${path}/`)
