/** POST random(/:source)(/:count) (source: behaviour of the originals). */
import { invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'

const SOURCES: readonly string[] = ['platform', 'seal', 'all']
const MAX_BYTES = 131_072
const WHOLE_NUMBER = /^[+-]?\d{1,9}$/

export const random = operation({
  kind: 'read',
  verb: 'POST',
  path: '/random(/:source)(/:count)',
  summary: 'Random bytes from the generator that keys come from.',
  fields: {
    source: f
      .word<'platform' | 'seal' | 'all' | `${number}`>(
        'platform, seal or all, which are the same here; or a number of bytes, which then counts.',
      )
      .default('platform'),
    count: f.wordOrInt<never>('The number of bytes, where the path says it behind the source. Goes before bytes.').optional(),
    bytes: f.wordOrInt<never>(`How many: 1 to ${MAX_BYTES}.`).default('32'),
    format: f.oneOf(['base64', 'hex'], 'How the path-addressed answer shows them. The typed one has bytes.').default('base64'),
  },
  returns: { random_bytes: f.formattedBytes('Fresh with every call.') },
  run: (tx, { source, count, bytes }) => {
    const sourceIsCount = count === undefined && WHOLE_NUMBER.test(source)
    if (!sourceIsCount && !SOURCES.includes(source)) throw invalid(`source: must be one of ${SOURCES.join(', ')}`)
    if (source === 'seal') tx.warn('this seal has no source of randomness; the bytes are from the platform')
    return { random_bytes: tx.env.entropy.bytes(byteCount(count ?? (sourceIsCount ? source : bytes))) }
  },
})

function byteCount(text: string): number {
  const n = WHOLE_NUMBER.test(text) ? Number(text) : 0
  if (n < 1 || n > MAX_BYTES) throw invalid(`bytes: must be a whole number between 1 and ${MAX_BYTES}`)
  return n
}
