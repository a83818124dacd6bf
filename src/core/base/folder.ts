/**
 * Folders of paths.
 */

/** The common prefix of all names in a folder; the path may end in a slash or not. Empty is the top. */
export const folderPrefix = (path: string): string => (path === '' || path.endsWith('/') ? path : `${path}/`)
