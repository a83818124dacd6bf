/** The vectors that the quick tier excludes. */
import { exceptEveryNth } from '../../vectors/wycheproof.ts'
import { testEcdsa } from './test-ecdsa.ts'

testEcdsa((way, curve) => (way.startsWith('node') ? 'all' : exceptEveryNth(curve === 'P-256' ? 3 : 9)))
