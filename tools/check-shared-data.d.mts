/** Returns the data files below the folder `root` that no test has noted. */
export declare function unusedData(root: string, notes: readonly string[]): string[]
