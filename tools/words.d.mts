/** A text that matches a pattern. */
export interface WordsHit {
  readonly line: number
  readonly pattern: string
  readonly text: string
}
/** The matching texts of a file. The path decides whether the file is a source, a test or a page. */
export declare function hitsIn(path: string, text: string): readonly WordsHit[]
/** The folder under whose name the hits of a file are counted. */
export declare function areaOf(path: string): string
