/**
 * Places in a text, as refusals name them.
 */
import { texts } from '../../core/base/texts.ts'

/** Counted from 1 in lines and characters. For refusals only: it counts from the start. */
export function lineAndColumn(text: string, at: number): string {
  const lines = text.slice(0, at).split('\n')
  return `${lines.length}:${[...(lines.at(-1) as string)].length + 1}`
}

/** `line:column (offset)`; the offset is in bytes of UTF-8. */
export const textPosition = (text: string, at: number): string =>
  `${lineAndColumn(text, at)} (${texts.byteLength(text.slice(0, at))})`
