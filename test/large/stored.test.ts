import { describeStored } from './stored-cases.ts'
import { unwatched } from './stretch.ts'

describeStored({ members: 2000, things: 100, tries: () => true }, unwatched)
