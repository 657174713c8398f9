import { defineSuite } from 'agent-bench'

export default defineSuite({ title: 'Agentic work' })
