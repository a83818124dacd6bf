import { describeHostileDecisions } from './hostile-decisions.ts'

describeHostileDecisions(10, async (acl, request) => {
  acl.decide(request)
})
