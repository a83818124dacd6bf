import { describe } from 'vitest'
import { BACKENDS } from '../../fixtures/backends.ts'
import { unhex } from '../../vectors/load.ts'
import { itMatchesWycheproof, type WycheproofTest } from '../../vectors/wycheproof.ts'

interface SignatureTest extends WycheproofTest {
  readonly msg: string
  readonly sig: string
}

describe.each(BACKENDS)('Ed25519 of the backend $name', (crypto) => {
  itMatchesWycheproof<{ readonly publicKey: { readonly pk: string } }, SignatureTest>('ed25519_test.json', {
    accepts: (test, group) => crypto.ed25519Verify(unhex(group.publicKey.pk)).verify(unhex(test.sig), unhex(test.msg)),
  })
})
