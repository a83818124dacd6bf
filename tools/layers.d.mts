/** How many files there are below a folder with src's content, and a line per violation. */
export declare function checkLayers(root: string): { readonly read: number; readonly violations: readonly string[] }
