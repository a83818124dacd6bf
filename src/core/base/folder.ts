/**
 * Folders of paths.
 */

/** What all names in a folder begin with; the slash at the end of its path may be there or not. Empty is the top. */
export const folderPrefix = (path: string): string => (path === '' || path.endsWith('/') ? path : `${path}/`)
