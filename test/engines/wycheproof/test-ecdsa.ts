import { describe } from 'vitest'
import { unhex } from '../../vectors/load.ts'
import { itMatchesWycheproof, type Turn, type WycheproofTest } from '../../vectors/wycheproof.ts'
import { HASH_NAMES } from './hash-names.ts'
import { fromHex, Imported, verdict } from './imported.ts'

type Test = WycheproofTest & Readonly<Record<'msg' | 'sig', string>>
interface Group {
  readonly sha: string
  readonly publicKeyPem: string
}

const FILES = [
  ['ecdsa-p256', ['secp256r1_sha256', 'secp256r1_sha256_p1363', 'secp256r1_sha3_256', 'secp256r1_sha512']],
  ['ecdsa-p384', ['secp384r1_sha384', 'secp384r1_sha384_p1363', 'secp384r1_sha512']],
  ['ecdsa-p521', ['secp521r1_sha512', 'secp521r1_sha512_p1363']],
] as const

/** @param turn Returns the reason why another tier runs the vector. */
export function testEcdsa(turn: Turn): void {
  describe.each(FILES)('transit.verify by path, with keys of type %s', (type, files) => {
    const keys = new Imported()
    for (const file of files) {
      itMatchesWycheproof<Group, Test>(`ecdsa_${file}_test.json`, {
        outside: turn,
        async accepts({ msg, sig }, { sha, publicKeyPem }) {
          const name = await keys.public(type, publicKeyPem)
          const jws = file.includes('p1363')
          const text = jws ? Buffer.from(unhex(sig)).toString('base64url') : fromHex(sig)
          const form = { marshaling_algorithm: jws ? 'jws' : 'asn1', signature: `strongroom:v1:${text}` }
          return verdict(await keys.post(`verify/${name}/${HASH_NAMES[sha]}`, { input: fromHex(msg), ...form }))
        },
      })
    }
  })
}
