import { describe } from 'vitest'
import { judgeEcdsa } from './ecdsa-judge.ts'

describe('ecdsa P-384', () => {
  judgeEcdsa('ecdsa_secp384r1_sha384_test.json', 'P-384')
  judgeEcdsa('ecdsa_secp384r1_sha512_test.json', 'P-384')
  judgeEcdsa('ecdsa_secp384r1_sha384_p1363_test.json', 'P-384')
})
