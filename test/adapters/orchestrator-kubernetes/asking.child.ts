/**
 * Has a token reviewed, tells what came of it, and has nothing more to do. Started by times.test.ts.
 */
import { kubernetesTokenReviewer } from '../../../src/adapters/orchestrator-kubernetes/index.ts'
import { childArguments, tell } from '../../fixtures/child-side.ts'
import { BOUND, tokenOf } from './tokens.ts'

const { host, caCert } = childArguments<{ readonly host: string; readonly caCert: string }>()
const request = { host, caCert, bearer: 'the-reviewer', token: tokenOf(BOUND), audiences: [] }
tell(await kubernetesTokenReviewer().review(request, new AbortController().signal))
