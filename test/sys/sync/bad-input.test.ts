import { describeBadInput } from './bad-input-cases.ts'

describeBadInput((call) => call())
