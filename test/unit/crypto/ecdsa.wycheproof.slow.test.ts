/** The vectors that the quick tier excludes. */
import { exceptEveryNth } from '../../vectors/wycheproof.ts'
import { judgeEcdsa } from './ecdsa-judge.ts'

judgeEcdsa((way, curve) => (way.startsWith('node') ? 'all' : exceptEveryNth(curve === 'P-256' ? 3 : 9)))
