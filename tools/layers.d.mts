/** How many files there are below a folder with src's content, how many imports between them, and a line per violation. */
export declare function checkLayers(root: string): {
  readonly read: number
  readonly edges: number
  readonly violations: readonly string[]
}
