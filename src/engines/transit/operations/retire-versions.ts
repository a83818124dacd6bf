/** POST keys/:name/retire: closes the versions that nothing stored needs any more. The originals have no such endpoint. */
import { operation } from '../../../core/contract/operation.ts'
import type { Builder } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'
import { KEY_RECORD, showKey } from '../key-view.ts'
import { configure } from '../ring.ts'
import { ringNamed, storeRing } from '../ring-keys.ts'
import type { KeyCensus } from '../stored/census.ts'
import { decideRetirement } from '../stored/retirement.ts'

const CENSUS = f.object('What `census` or `rewrapAll` counted, at most a day ago.') as Builder<object> as Builder<KeyCensus>

export const retireVersions = operation({
  kind: 'write',
  verb: 'POST',
  path: '/keys/:name/retire',
  forwardable: true,
  summary: 'Raises min_decryption_version as far as a fresh census proves that nothing stored needs the versions below.',
  fields: {
    name: f.name('The name of the key.'),
    census: CENSUS,
    grace: f
      .duration(
        'How long it may take until what was encrypted is stored: a census proves nothing about versions that had a newer one for less than this when it began.',
      )
      .default(60),
  },
  returns: KEY_RECORD,
  run: (tx, { name, census, grace }) => {
    const ring = ringNamed(tx, name)
    const { config: least, tooNew: waits } = decideRetirement(ring, census, grace, tx.now)
    if (waits !== undefined)
      tx.warn(
        `census: began less than ${grace} seconds after version ${waits} was made, so it proves nothing about the one before`,
      )
    const next = configure(ring, least)
    if (next !== ring) {
      storeRing(tx, ring, next)
      tx.event('key.configured', { name })
    }
    return showKey(tx, next)
  },
})
