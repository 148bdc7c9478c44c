"""What would a recorded session have sent, and what did that cost, keep and lose? Pure: the engine comes in as a value."""

from sostenuto.replaying._components import components
from sostenuto.replaying._cost import Bill, Costs, costs, input_cost_ratio, unedited
from sostenuto.replaying._figures import EstimatorError, Figures, estimator_error, figures, rungs
from sostenuto.replaying._metered import Metered
from sostenuto.replaying._pieces import Piece, dumped, items, pieces, texts, user_texts
from sostenuto.replaying._prices import PRICES
from sostenuto.replaying._retention import Retention, retention, shares
from sostenuto.replaying._row import MENDED, Arrived, Happening, Row, arrived, record, row
from sostenuto.replaying._session import Engine, Handed, History, Recorded, Reply, as_sent, histories, plain, rows, unrewritten
from sostenuto.replaying._shadow import Shadow, predictions

__all__ = [
    "MENDED",
    "PRICES",
    "Arrived",
    "Bill",
    "Costs",
    "Engine",
    "EstimatorError",
    "Figures",
    "Handed",
    "Happening",
    "History",
    "Metered",
    "Piece",
    "Recorded",
    "Reply",
    "Retention",
    "Row",
    "Shadow",
    "arrived",
    "as_sent",
    "components",
    "costs",
    "dumped",
    "estimator_error",
    "figures",
    "histories",
    "input_cost_ratio",
    "items",
    "pieces",
    "plain",
    "predictions",
    "record",
    "retention",
    "row",
    "rows",
    "rungs",
    "shares",
    "texts",
    "unedited",
    "unrewritten",
    "user_texts",
]
