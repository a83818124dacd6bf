import { texts } from '../../core/base/texts.ts'

/** Lines and columns start at 1. Counts from the beginning of the string, so use it for error messages only. */
export function lineAndColumn(text: string, at: number): string {
  const lines = text.slice(0, at).split('\n')
  return `${lines.length}:${[...(lines.at(-1) as string)].length + 1}`
}

/** `line:column (offset)`; the offset counts bytes of UTF-8. */
export const textPosition = (text: string, at: number): string =>
  `${lineAndColumn(text, at)} (${texts.byteLength(text.slice(0, at))})`
