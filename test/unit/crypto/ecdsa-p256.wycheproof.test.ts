import { describe } from 'vitest'
import { judgeEcdsa } from './ecdsa-judge.ts'

describe('ecdsa P-256', () => {
  judgeEcdsa('ecdsa_secp256r1_sha256_test.json', 'P-256')
  judgeEcdsa('ecdsa_secp256r1_sha512_test.json', 'P-256')
  judgeEcdsa('ecdsa_secp256r1_sha3_256_test.json', 'P-256')
  judgeEcdsa('ecdsa_secp256r1_sha256_p1363_test.json', 'P-256')
})
