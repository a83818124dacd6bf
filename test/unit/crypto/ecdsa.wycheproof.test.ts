/** All vectors with OpenSSL, which is fast. The slower backends try every third vector on P-256 and every ninth on larger curves. */
import { everyNth } from '../../vectors/wycheproof.ts'
import { judgeEcdsa } from './ecdsa-judge.ts'

judgeEcdsa((way, curve) => (way.startsWith('node') ? undefined : everyNth(curve === 'P-256' ? 3 : 9)))
