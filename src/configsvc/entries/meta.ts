/** The user's notes about an entry. */
import { toUtf8 } from '../../core/base/bytes.ts'
import { invalid } from '../../core/base/errors.ts'
import { type MapOf, type MemberRule, quotedValue } from './members/index.ts'

const MAX_META_PAIRS = 64

const MAX_META_KEY_BYTES = 128

const MAX_META_VALUE_BYTES = 512

/** A text with more code units than `bytes` need not be encoded, because each code unit takes at least one byte in UTF-8. */
export const isLongerThanBytes = (text: string, bytes: number): boolean => text.length > bytes || toUtf8(text).length > bytes

/** Reports all violations together, unless there are too many pairs. */
export const checkMeta: MemberRule<MapOf<string>> = (meta, path) => {
  const pairs = Object.entries(meta)
  const wrong = pairs.length > MAX_META_PAIRS ? [`must have at most ${MAX_META_PAIRS} pairs, not ${pairs.length}`] : []
  for (const [key, value] of pairs.slice(0, MAX_META_PAIRS)) {
    if (isLongerThanBytes(key, MAX_META_KEY_BYTES))
      wrong.push(`the key ${quotedValue(key)} is longer than ${MAX_META_KEY_BYTES} bytes`)
    if (isLongerThanBytes(value, MAX_META_VALUE_BYTES))
      wrong.push(`the value of ${quotedValue(key)} is longer than ${MAX_META_VALUE_BYTES} bytes`)
  }
  if (wrong.length > 0) throw invalid(`${path}: ${wrong.join('; ')}`)
}
