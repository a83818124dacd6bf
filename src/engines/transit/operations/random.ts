import { invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'

const SOURCES: readonly string[] = ['platform', 'seal', 'all']
const MAX_BYTES = 131_072
const WHOLE_NUMBER = /^[+-]?\d{1,9}$/

/**
 * @throws KernelError 400 if the number of bytes is below 1 or above 131,072, or if the source is unknown.
 * @example
 * const { random_bytes } = await kernel.transit.random({ bytes: 32 })
 */
export const random = operation({
  kind: 'read',
  verb: 'POST',
  path: '/random(/:source)(/:count)',
  summary: 'Returns random bytes from the generator that also generates keys.',
  fields: {
    source: f
      .word<'platform' | 'seal' | 'all' | `${number}`>(
        'The source of the bytes: platform, seal or all. All three have the same effect. A number is read as the number of bytes.',
      )
      .default('platform'),
    count: f.wordOrInt<never>('The number of bytes, given in the path after the source. Takes precedence over bytes.').optional(),
    bytes: f.wordOrInt<never>(`The number of bytes: 1 to ${MAX_BYTES}.`).default('32'),
    format: f.oneOf(['base64', 'hex'], 'The encoding of the bytes in calls by path. Typed calls return bytes.').default('base64'),
  },
  returns: { random_bytes: f.formattedBytes('The random bytes.') },
  run: (tx, { source, count, bytes }) => {
    const sourceIsCount = count === undefined && WHOLE_NUMBER.test(source)
    if (!sourceIsCount && !SOURCES.includes(source)) throw invalid(`source: must be one of ${SOURCES.join(', ')}`)
    if (source === 'seal') tx.warn('source: this seal has no random number generator; the bytes come from the platform')
    return { random_bytes: tx.env.entropy.bytes(byteCount(count ?? (sourceIsCount ? source : bytes))) }
  },
})

function byteCount(text: string): number {
  const n = WHOLE_NUMBER.test(text) ? Number(text) : 0
  if (n < 1 || n > MAX_BYTES) throw invalid(`bytes: must be a whole number between 1 and ${MAX_BYTES}`)
  return n
}
