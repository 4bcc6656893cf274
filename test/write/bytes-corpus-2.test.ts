import { testCorpus } from '../golden/corpus.ts'
import { testBytes } from './bytes.ts'

for (const share of [2, 3]) testCorpus(share, testBytes)
