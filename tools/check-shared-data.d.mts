/** The data files below the folder `root` that are not in the notes. */
export declare function unusedData(root: string, notes: readonly string[]): string[]
