/** Raises min_decryption_version to the oldest version that stored data still needs. Vault and OpenBao have no such endpoint. */
import { operation } from '../../../core/contract/operation.ts'
import type { Builder } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'
import { KEY_RECORD, showKey } from '../key-view.ts'
import { configureRing } from '../ring.ts'
import { ringNamed, storeRing } from '../ring-keys.ts'
import type { KeyCensus } from '../stored/census.ts'
import { decideRetirement } from '../stored/retirement.ts'

const CENSUS = f.object(
  'The result of `census` or `rewrapAll`, begun at most a day ago.',
) as Builder<object> as Builder<KeyCensus>

/**
 * @throws KernelError 400 if the key does not exist, if the census is incomplete, if the census began more than a day ago or in the future,
 *   if the census contains items of unknown version, if the census names a version above the latest version of the key, or if the key does
 *   not have the version that would become `min_decryption_version`.
 * @example
 * await kernel.transit.rotateKey({ name: 'orders' })
 * const rewrapped = await kernel.transit.rewrap({ name: 'orders', ciphertext })
 * const census = await kernel.transit.census({ name: 'orders', items: [rewrapped] })
 * const { min_decryption_version } = await kernel.transit.retireVersions({ name: 'orders', census, grace: 0 })
 */
export const retireVersions = operation({
  kind: 'write',
  verb: 'POST',
  path: '/keys/:name/retire',
  forwardable: true,
  summary: 'Raises min_decryption_version as far as a recent census proves that no stored data needs the older versions.',
  fields: {
    name: f.name('The name of the key.'),
    census: CENSUS,
    grace: f
      .duration(
        'The longest time between an encryption and the storage of its result. If a version was replaced less than this time before the census began, some of its ciphertexts may not have been stored yet at that time, so the version is kept.',
      )
      .default(60),
  },
  returns: KEY_RECORD,
  run: (tx, { name, census, grace }) => {
    const ring = ringNamed(tx, name)
    const { config: least, tooNew } = decideRetirement(ring, census, grace, tx.now)
    if (tooNew !== undefined)
      tx.warn(
        `census: began less than ${grace} seconds after version ${tooNew} was created, so it proves nothing about the version before it`,
      )
    const next = configureRing(ring, least)
    if (next !== ring) {
      storeRing(tx, ring, next)
      tx.event('key.configured', { name })
    }
    return showKey(tx, next)
  },
})
