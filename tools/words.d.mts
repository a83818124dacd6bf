/** A place that a reader has to translate. */
export interface WordsHit {
  readonly line: number
  readonly pattern: string
  readonly text: string
}
/** The places in the text of a file; its path says whether it is a source, a test or a page. */
export declare function hitsIn(path: string, text: string): readonly WordsHit[]
/** The folder under whose name the hits of a file are counted. */
export declare function areaOf(path: string): string
