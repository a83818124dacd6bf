import { describeStrangers } from './strangers-cases.ts'
import { unwatched } from './stretch.ts'

describeStrangers(200_000, unwatched)
