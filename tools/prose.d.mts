export interface Piece {
  line: number
  kind: string
  text: string
}
export function messages(source: string): Piece[]
export function titles(source: string): (Piece & { path: string })[]
