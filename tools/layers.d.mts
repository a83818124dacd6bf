export interface LayersReport {
  /** The number of files. */
  readonly read: number
  /** The number of imports between them. */
  readonly edges: number
  /** A line per violation. */
  readonly violations: readonly string[]
}

/** Checks the files below a folder with src's content. */
export declare function checkLayers(root: string): LayersReport

/** Checks files in memory: their texts by path, in the order in which violations are reported. */
export declare function checkSources(sources: ReadonlyMap<string, string>): LayersReport
