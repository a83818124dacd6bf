/** All vectors by OpenSSL, which is fast, and some of them in the other ways: every third one on P-256, every ninth one on larger curves. */
import { everyNth } from '../../vectors/wycheproof.ts'
import { judgeEcdsa } from './ecdsa-judge.ts'

judgeEcdsa((way, curve) => (way.startsWith('node') ? undefined : everyNth(curve === 'P-256' ? 3 : 9)))
