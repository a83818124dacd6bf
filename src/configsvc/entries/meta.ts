/**
 * What users note on an entry.
 */
import { toUtf8 } from '../../core/base/bytes.ts'
import { invalid } from '../../core/base/errors.ts'
import { type MapOf, type Rule, shown } from './members/index.ts'

const MOST_PAIRS = 64

const LONGEST_KEY = 128

const LONGEST_VALUE = 512

/** No code unit takes less than a byte, so a long text need not be encoded. */
export const isLonger = (text: string, bytes: number): boolean => text.length > bytes || toUtf8(text).length > bytes

/** All that is wrong is said at once, as far as there are not more pairs than may be. */
export const checkMeta: Rule<MapOf<string>> = (meta, path) => {
  const pairs = Object.entries(meta)
  const wrong = pairs.length > MOST_PAIRS ? [`holds ${pairs.length} pairs, and at most ${MOST_PAIRS} are taken`] : []
  for (const [key, value] of pairs.slice(0, MOST_PAIRS)) {
    if (isLonger(key, LONGEST_KEY)) wrong.push(`the key ${shown(key)} is longer than ${LONGEST_KEY} bytes`)
    if (isLonger(value, LONGEST_VALUE)) wrong.push(`the value of ${shown(key)} is longer than ${LONGEST_VALUE} bytes`)
  }
  if (wrong.length > 0) throw invalid(`${path}: ${wrong.join('; ')}`)
}
