/**
 * Reviews one token, reports the answer, and then has no work left. Started by times.slow.test.ts.
 */
import { kubernetesTokenReviewer } from '../../../src/adapters/orchestrator-kubernetes/index.ts'
import { childArguments, send } from '../../fixtures/child-side.ts'
import { BOUND, tokenOf } from './tokens.ts'

const { host, caCert } = childArguments<{ readonly host: string; readonly caCert: string }>()
const request = { host, caCert, bearer: 'the-reviewer', token: tokenOf(BOUND), audiences: [] }
send(await kubernetesTokenReviewer().review(request, new AbortController().signal))
