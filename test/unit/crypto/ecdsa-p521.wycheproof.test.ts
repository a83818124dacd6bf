import { describe } from 'vitest'
import { judgeEcdsa } from './ecdsa-judge.ts'

describe('ecdsa P-521', () => {
  judgeEcdsa('ecdsa_secp521r1_sha512_test.json', 'P-521')
  judgeEcdsa('ecdsa_secp521r1_sha512_p1363_test.json', 'P-521')
})
